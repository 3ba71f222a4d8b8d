package dev.steady.demo;

/** Plane figures; six implementations keep every call through the interface megamorphic. */
public sealed interface Shape {

    double area();

    record Circle(double radius) implements Shape {
        @Override
        public double area() {
            return Math.PI * radius * radius;
        }
    }

    record Square(double side) implements Shape {
        @Override
        public double area() {
            return side * side;
        }
    }

    record Rectangle(double width, double height) implements Shape {
        @Override
        public double area() {
            return width * height;
        }
    }

    record Ellipse(double a, double b) implements Shape {
        @Override
        public double area() {
            return Math.PI * a * b;
        }
    }

    record Triangle(double a, double b, double c) implements Shape {
        @Override
        public double area() {
            double s = (a + b + c) / 2;
            return Math.sqrt(s * (s - a) * (s - b) * (s - c));
        }
    }

    record Trapezoid(double a, double b, double height) implements Shape {
        @Override
        public double area() {
            return (a + b) / 2 * height;
        }
    }
}
